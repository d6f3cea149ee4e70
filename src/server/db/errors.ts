import type { Dialect } from 'kysely'
import { OperatorError } from '../operator-error.ts'

export class BackupError extends OperatorError {
  override readonly name = 'BackupError'
}

/** Classes of SQLSTATE (PostgreSQL, appendix A): connection, authorization, resources, system. */
const CLASSES = ['08', '28', '53', '58']

const STATES = [
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '57014', // query_canceled: the statement's time is up
  '55P03', // lock_not_available
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction: a standby answers
  '3D000', // invalid_catalog_name: the server is up without our database
  '42P01', // undefined_table: the schema exists since the start, so this is another database
  '40001', // serialization_failure, after all our own attempts
  '40P01', // deadlock_detected, likewise
]

/**
 * Primary result codes of SQLite: busy, locked, read-only, input/output, full, cannot open. A damaged file (11, 26) is
 * not included: retrying does not help.
 */
const SQLITE_CODES = [5, 6, 8, 10, 13, 14]

/** Another file, or none, is at the database's path. */
const FILE_GONE = 'STORAGE_FILE_GONE'

/**
 * True if a failure is a condition of the database, not of the request, so that the same call may succeed later. The
 * one place that decides it, for both engines.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === FILE_GONE) return true
  if (typeof errcode === 'number') return SQLITE_CODES.includes(errcode & 0xff)
  return (
    typeof code === 'string' &&
    code.length === 5 &&
    (STATES.includes(code) || CLASSES.includes(code.slice(0, 2)))
  )
}

/** The database cannot work now: the same call may succeed later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  /** The connection pool writes a line at the start of an outage and one at its end: nobody else needs to. */
  readonly isLogged: boolean

  constructor(cause: unknown, { isLogged = false } = {}) {
    super(describe(cause), { cause })
    this.isLogged = isLogged
  }
}

/** True for failures of an outage that has its line in the log. */
export function isLoggedOutage(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.isLogged
}

/** A refused connection to a name with several addresses is an AggregateError with an empty message. */
function describe(cause: unknown): string {
  const { message, code } = cause as { message?: unknown; code?: unknown }
  return String(message || code || 'unknown failure')
}

/**
 * After an error in a transaction Kysely rolls back, and throws the rollback's error if that fails too. It fails if
 * nothing is left to roll back: SQLite did it itself (a full disk), or the connection is gone. The first error is then
 * the one to report.
 */
export function keepFirstError(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver()
      const rollback = driver.rollbackTransaction.bind(driver)
      driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {})
      return driver
    },
  }
}

/** What is wrong with the storage and what to do: whole Portuguese sentences without their full stop. */
interface Fault {
  what: string
  mend: string
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const SQLITE: Readonly<Record<number, Fault>> = {
  5: { what: 'outro processo está usando o banco de dados', mend: 'Tente novamente em instantes' },
  8: {
    what: 'o arquivo do banco de dados ou a sua pasta só permite leitura',
    mend: 'Dê permissão de escrita ao usuário que roda o servidor, e confira se o disco não foi montado só para leitura',
  },
  10: {
    what: 'o disco do banco de dados está cheio ou falhou',
    mend: 'Libere espaço; se há espaço, confira o disco e o log do sistema',
  },
  11: {
    what: 'o arquivo do banco de dados está danificado',
    mend: 'Guarde uma cópia e restaure um backup: npm run restore -- ARQUIVO --force',
  },
  13: { what: 'o disco está cheio', mend: 'Libere espaço ou mude DATA_DIR' },
  14: {
    what: 'o arquivo do banco de dados não pode ser aberto',
    mend: 'Confira as permissões do arquivo e da sua pasta',
  },
  26: {
    what: 'o arquivo do banco de dados está danificado ou não é um banco de dados',
    mend: 'Guarde uma cópia e restaure um backup: npm run restore -- ARQUIVO --force',
  },
}

const NOT_REACHED: Fault = {
  what: 'nada responde no endereço de DATABASE_URL',
  mend: 'Confira o endereço, a rede e se o servidor PostgreSQL está no ar',
}

/** Our code for a server without TLS, which has none. */
export const NO_TLS = 'NO_TLS'

const UNKNOWN_ROOT: Fault = {
  what: 'o certificado do PostgreSQL não é assinado por uma autoridade conhecida',
  mend: 'Informe o certificado raiz em DATABASE_URL com sslrootcert=/caminho/ca.pem',
}

/** Why TLS to PostgreSQL fails (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const TLS: Readonly<Record<string, Fault>> = {
  [NO_TLS]: {
    what: 'DATABASE_URL pede TLS, mas o PostgreSQL não oferece TLS',
    mend: 'Ative o TLS no PostgreSQL (ssl = on) ou, em uma rede protegida, use sslmode=disable',
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ROOT,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ROOT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ROOT,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ROOT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ROOT,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'o certificado do PostgreSQL é de outro servidor',
    mend: 'Use em DATABASE_URL o nome que está no certificado',
  },
  CERT_HAS_EXPIRED: {
    what: 'o certificado do PostgreSQL venceu',
    mend: 'Renove o certificado no servidor PostgreSQL',
  },
  CERT_NOT_YET_VALID: {
    what: 'o certificado do PostgreSQL ainda não vale',
    mend: 'Confira o relógio desta máquina e a data do certificado',
  },
}

export function isTlsFault(code: string): boolean {
  return Object.hasOwn(TLS, code)
}

/** SQLSTATE (PostgreSQL, appendix A). */
const POSTGRES: Readonly<Record<string, Fault>> = {
  ...TLS,
  '25006': {
    what: 'o PostgreSQL só aceita leitura: é uma réplica ou está em modo de leitura',
    mend: 'Aponte DATABASE_URL para o servidor principal ou desative default_transaction_read_only',
  },
  '28000': {
    what: 'o PostgreSQL recusa este usuário',
    mend: 'Confira o usuário de DATABASE_URL e o pg_hba.conf. Se ele exige TLS, acrescente sslmode=verify-full',
  },
  '28P01': { what: 'o PostgreSQL recusa usuário ou senha', mend: 'Confira usuário e senha em DATABASE_URL' },
  '3D000': {
    what: 'o banco de dados de DATABASE_URL não existe no servidor',
    mend: 'Crie o banco com createdb ou corrija o nome',
  },
  '42501': {
    what: 'o usuário do PostgreSQL não tem as permissões necessárias',
    mend: 'Torne esse usuário o dono do banco e das tabelas',
  },
  '42P01': {
    what: 'faltam tabelas no banco de dados',
    mend: 'Confira se DATABASE_URL aponta para o banco certo',
  },
  '53100': { what: 'o disco do PostgreSQL está cheio', mend: 'Libere espaço na máquina dele' },
  '53300': {
    what: 'o PostgreSQL não tem conexões livres',
    mend: 'Aumente max_connections ou diminua DATABASE_POOL_SIZE',
  },
  '57P03': { what: 'o PostgreSQL está iniciando ou parando', mend: 'Tente novamente em instantes' },
  ECONNREFUSED: NOT_REACHED,
  ECONNRESET: NOT_REACHED,
  EHOSTUNREACH: NOT_REACHED,
  ENETUNREACH: NOT_REACHED,
  ENOTFOUND: NOT_REACHED,
  EAI_AGAIN: NOT_REACHED,
  ETIMEDOUT: NOT_REACHED,
}

/** Errors of the file system; `PATH` is the file. */
const FILES: Readonly<Record<string, Fault>> = {
  EACCES: { what: 'falta permissão para usar PATH', mend: 'Dê permissão ao usuário que roda o programa' },
  EPERM: { what: 'falta permissão para usar PATH', mend: 'Dê permissão ao usuário que roda o programa' },
  EROFS: {
    what: 'PATH está em um disco só de leitura',
    mend: 'Monte o disco com escrita ou escolha outra pasta',
  },
  ENOSPC: { what: 'o disco de PATH está cheio', mend: 'Libere espaço ou escolha outra pasta' },
  EDQUOT: { what: 'a cota de disco de PATH acabou', mend: 'Libere espaço ou escolha outra pasta' },
  ENOENT: { what: 'PATH não existe', mend: 'Confira o caminho' },
  ENOTDIR: { what: 'PATH passa por algo que não é uma pasta', mend: 'Confira o caminho' },
  EISDIR: { what: 'PATH é uma pasta', mend: 'Informe o nome de um arquivo' },
  EEXIST: { what: 'PATH já existe', mend: 'Escolha outro nome' },
}

/** Why the data cannot be used, by the codes of an error and its cause; null if they are unknown. */
export function describeFault(error: unknown): Fault | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errcode, path, syscall } = cause as NodeJS.ErrnoException & { errcode?: unknown }
    const known =
      (typeof errcode === 'number' ? SQLITE[errcode & 0xff] : undefined) ??
      // A missing socket is a missing server.
      (syscall === 'connect' ? NOT_REACHED : POSTGRES[code ?? ''])
    if (known !== undefined) return known
    const file = FILES[code ?? '']
    if (file !== undefined && path !== undefined) return { ...file, what: file.what.replace('PATH', path) }
    if (cause instanceof AggregateError) return describeFault(cause.errors[0])
  }
  return null
}

/** Conditions of PostgreSQL that pass by themselves, in the words of the log. */
const PASSING: Readonly<Record<string, string>> = {
  '53300': 'it has no free connection',
  '57P03': 'it is starting or stopping',
  '57014': 'it does not answer',
  ETIMEDOUT: 'it does not answer',
}

/** Why a start should wait for PostgreSQL; null if waiting would not help. */
export function describeWait(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = PASSING[(cause as NodeJS.ErrnoException).code ?? '']
    if (reason !== undefined) return reason
  }
  return null
}

/** True if SQLite reports a damaged file. */
export function isDamage(error: unknown): boolean {
  const fault = describeFault(error)
  return fault !== null && (fault === SQLITE[11] || fault === SQLITE[26])
}

/** The first informative line of `quick_check`. */
export function shortenVerdict(verdict: string): string {
  return verdict.split('\n').find((line) => !line.startsWith('***')) ?? verdict
}
