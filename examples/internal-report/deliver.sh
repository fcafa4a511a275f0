# Stands for a site or a mail server: keeps what it is given in a file.
cat >> "$1.jsonl"
echo '{"done": true}'
