@rem The npm scripts begin with "exec", which a POSIX shell knows and cmd.exe finds here.
@%*
