#compdef parley
# Completion of parley for zsh.
_parley() {
  local -a found
  local word rest
  while IFS=$'\t' read -r word rest; do
    found+=("${word//:/\\:}${rest:+:$rest}")
  done < <("${words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then
    _describe -V parley found
  else
    _files
  fi
}
if [[ "${funcstack[1]}" = _parley ]]; then
  _parley "$@"
else
  compdef _parley parley
fi
