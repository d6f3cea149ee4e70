import { accessSync, constants } from 'node:fs'

/** What `pg` understands. Others would be ignored or mean something else there. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Files that the address may name. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Pórtico writes, so it always uses the server that accepts writes. */
const SESSION_ATTRIBUTES = ['read-write', 'primary', 'any']

const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)(.*)$/s

/**
 * Splits an address with several hosts, as libpq writes it, into one address per host for `pg`, which knows only one.
 * @example
 * splitHosts('postgres://ana@db1:5432,db2:5433/site?target_session_attrs=read-write')
 * // ['postgres://ana@db1:5432/site?…', 'postgres://ana@db2:5433/site?…']
 */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  const options = new URLSearchParams(query.slice(1))
  // `pg` verifies the certificate in these modes too, but warns that a later version may not.
  const rest =
    ['prefer', 'require', 'verify-ca'].includes(options.get('sslmode') ?? '') &&
    options.get('uselibpqcompat') !== 'true'
      ? query.replace(/([?&]sslmode=)[^&]*/, '$1verify-full')
      : query
  return hosts.split(',').map((host) => `${before}${host}${path}${rest}`)
}

/** What is wrong with an address, in Portuguese and without its password; null if nothing is. */
export function findUrlFault(url: string): string | null {
  const match = ADDRESS.exec(url)
  if (match === null) return 'precisa ser um endereço que comece com postgres:// ou postgresql://'
  const [, , hosts = '', , query = ''] = match
  const options = new URLSearchParams(query.slice(1))
  if (options.get('host')?.includes(',') || options.get('port')?.includes(','))
    return 'precisa ter os servidores antes da barra, separados por vírgula: postgres://usuario:senha@db1:5432,db2:5432/banco'
  if (hosts.includes(',') && hosts.split(',').some((host) => !/^(\[[^\]]+\]|[^:]+)(:\d{1,5})?$/.test(host)))
    return 'tem um servidor incompleto. Separe os servidores por vírgula, cada um com sua porta: db1:5432,db2:5432'
  const attributes = options.get('target_session_attrs')
  if (attributes !== null && !SESSION_ATTRIBUTES.includes(attributes))
    return `tem target_session_attrs=${attributes}, mas o Pórtico precisa gravar. Use target_session_attrs=read-write`
  const mode = options.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    return `tem sslmode=${mode}, que não existe. Use ${SSL_MODES.slice(0, -1).join(', ')} ou ${SSL_MODES.at(-1)}`
  if (mode === 'verify-ca' && options.get('uselibpqcompat') === 'true' && !options.has('sslrootcert'))
    return 'tem sslmode=verify-ca sem certificado raiz. Informe o arquivo em sslrootcert ou use sslmode=verify-full'
  for (const name of FILES) {
    const file = options.get(name)
    if (file !== null && !isReadable(file)) return `tem ${name} com um arquivo que não pode ser lido: ${file}`
  }
  return null
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}
