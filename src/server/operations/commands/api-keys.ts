import { formatCount } from '#contract/format-count.ts'
import type { AuthContext } from '#server/auth/context.ts'
import { type ApiKeyRow, insertApiKey, listApiKeys, revokeApiKey } from '#server/auth/keys/api-keys.ts'
import { rotateKeys } from '#server/auth/keys/key-ring.ts'
import { readArguments, UsageError } from './run-command.ts'

const DEFAULT_NAME = 'padrão'
const DAY_MS = 86_400_000
const OVERLAP_DAYS = 7
const MOST_DAYS = 3_650

/** `keys` */
export async function showKeys({ db, keys }: AuthContext): Promise<void> {
  console.log(`Chave pública (anon):\n${(await keys.current()).anonKey}\n`)
  const known = (await listApiKeys(db)).find(({ name }) => name === DEFAULT_NAME)
  if (known !== undefined && known.revoked_at !== null)
    return console.log(
      `A chave de serviço "${DEFAULT_NAME}" foi revogada em ${known.revoked_at}. Crie outra: npm run admin -- make-key NOME`,
    )
  const row = known ?? (await insertApiKey(db, DEFAULT_NAME, null))
  console.log(
    `Chave de serviço (service_role, secreta):\n${await keys.makeServiceKey({ id: row?.id ?? '', expiresAt: null })}`,
  )
}

/** `make-key NAME [--days N]` */
export async function makeKey({ db, keys }: AuthContext, args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, {
    usage: 'Uso: make-key NOME [--days N]',
    options: { days: { type: 'string' } },
    names: 1,
  })
  const [name] = positionals
  if (name === undefined || name.length > 100) throw new UsageError('Uso: make-key NOME [--days N]')
  const days = values.days === undefined ? null : readDays(values.days, '--days')
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS)
  const row = await insertApiKey(db, name, expiresAt)
  if (row === null) throw new UsageError(`Já houve uma chave com o nome "${name}". Escolha outro.`)
  console.log(`Chave de serviço "${name}" (secreta, mostrada só agora), ${describeEnd(row)}:`)
  console.log(await keys.makeServiceKey({ id: row.id, expiresAt }))
}

/** `list-keys` */
export async function listKeys({ db }: AuthContext): Promise<void> {
  const rows = await listApiKeys(db)
  for (const row of rows) console.log(`${row.name}\tcriada em ${row.created_at}\t${describeEnd(row)}`)
  if (rows.length === 0) console.log('Nenhuma chave de serviço foi criada.')
}

/** `revoke-key NAME` */
export async function revokeKey({ db }: AuthContext, [name]: string[]): Promise<void> {
  if (name === undefined) throw new UsageError('Uso: revoke-key NOME')
  if (!(await revokeApiKey(db, name)))
    throw new UsageError(`Não há chave em vigor com o nome "${name}". Veja list-keys.`)
  console.log(`Chave "${name}" revogada: em segundos nenhum servidor a aceita.`)
}

/** `rotate-keys [--overlap DAYS | --now]` */
export async function rotateSigningKey({ db, secrets, config }: AuthContext, args: string[]): Promise<void> {
  if (config.auth.signingKeyFile !== null)
    throw new UsageError(
      'A chave vem do arquivo em AUTH_SIGNING_KEY_FILE: ponha a nova antes da antiga no arquivo, reinicie o servidor e, mais tarde, retire a antiga.',
    )
  const { values } = readArguments(args, {
    usage: 'Uso: rotate-keys [--overlap N | --now]',
    options: { overlap: { type: 'string' }, now: { type: 'boolean', default: false } },
    names: 0,
  })
  const days = values.now ? 0 : readDays(values.overlap ?? String(OVERLAP_DAYS), '--overlap')
  await rotateKeys(db, secrets, days * DAY_MS)
  console.log(
    days === 0
      ? 'Chave de assinatura trocada. Todas as sessões foram encerradas. As novas chaves:\n'
      : `Chave de assinatura trocada. O que a antiga assinou vale por mais ${formatCount(days, 'dia', 'dias')}: distribua as novas chaves até lá.\n`,
  )
}

function describeEnd({ expires_at, revoked_at }: ApiKeyRow): string {
  if (revoked_at !== null) return `revogada em ${revoked_at}`
  if (expires_at === null) return 'sem validade'
  return Date.parse(expires_at) <= Date.now() ? `vencida em ${expires_at}` : `válida até ${expires_at}`
}

function readDays(text: string, option: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days
  throw new UsageError(`${option} deve ser um número de dias, de 1 a ${MOST_DAYS}.`)
}
