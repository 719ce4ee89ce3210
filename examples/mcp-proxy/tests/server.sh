#!/bin/sh
# An MCP server with one tool: its name is $1, its description is in the file $2, and it answers $3.
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"initialize"'*)
    result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}'
    ;;
  *'"tools/list"'*)
    result="{\"tools\":[{\"name\":\"$1\",\"description\":\"$(cat "$2")\",\"inputSchema\":{\"type\":\"object\"}}]}"
    ;;
  *'"tools/call"'*) result="{\"content\":[{\"type\":\"text\",\"text\":\"$3\"}]}" ;;
  *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
