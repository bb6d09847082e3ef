# This machine.
"$(parley)" doctor
