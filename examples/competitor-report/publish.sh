# Stands for a publishing system: keeps what it is given.
cat >> published.jsonl
echo >> published.jsonl
echo '{"published": true}'
