-- When the task was forgotten: its events stay, what they name is gone.
ALTER TABLE tasks ADD COLUMN erased_at INTEGER;
