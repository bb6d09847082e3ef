# Completion of parley for fish.
function __parley_words
    set -l line (commandline -opc)
    $line[1] completion fish -- $line[2..] (commandline -ct) 2>/dev/null
end
complete -c parley -a '(__parley_words)'
