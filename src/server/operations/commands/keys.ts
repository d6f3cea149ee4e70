import { resolve } from 'node:path'
import { DAY_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import type { AuthContext } from '#server/auth/context.ts'
import { type ApiKeyRow, insertApiKey, listApiKeys, revokeApiKey } from '#server/auth/keys/api-keys.ts'
import { type GivenUp, giveUpSecrets } from '#server/auth/keys/give-up-secrets.ts'
import { rotateKeys } from '#server/auth/keys/key-ring.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { clearLeftovers, leftoversRemain, prepareDatabase } from '#server/secrets/encrypted-database.ts'
import {
  addNextKey,
  type Discarded,
  discardSecrets,
  dropFormerKeys,
  switchToKey,
} from '#server/secrets/key-rotation.ts'
import {
  holdFileLock,
  makeSecretKeyFile,
  readSecretKeyFile,
  SecretKeyError,
} from '#server/secrets/secret-key.ts'
import { readKeyId } from '#server/secrets/secrets.ts'
import { readArguments, UsageError } from './command.ts'

const DEFAULT_NAME = 'padrão'
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
    `Chave de serviço (service_role). Não compartilhe:
${await keys.makeServiceKey({ id: row?.id ?? '', expiresAt: null })}`,
  )
}

/** `make-key NAME [--days N]` */
export async function makeKey({ db, keys }: AuthContext, args: string[]): Promise<void> {
  const { positionals, values } = readArguments(args, {
    usage: 'Uso: npm run admin -- make-key NOME [--days N]',
    options: { days: { type: 'string' } },
    names: 1,
  })
  const [name] = positionals
  if (name === undefined || name.length > 100)
    throw new UsageError('Uso: npm run admin -- make-key NOME [--days N]')
  const days = values.days === undefined ? null : readDays(values.days, '--days')
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS)
  const row = await insertApiKey(db, name, expiresAt)
  if (row === null) throw new UsageError(`O nome "${name}" já foi usado em outra chave. Escolha outro.`)
  console.log(`Chave de serviço "${name}", ${describeEnd(row)}. Copie agora: ela não aparece de novo.`)
  console.log(await keys.makeServiceKey({ id: row.id, expiresAt }))
}

/** `list-keys` */
export async function listKeys({ db }: AuthContext): Promise<void> {
  const rows = await listApiKeys(db)
  for (const row of rows) console.log(`${row.name}\tcriada em ${row.created_at}\t${describeEnd(row)}`)
  if (rows.length === 0) console.log('Nenhuma chave de serviço. Crie uma: npm run admin -- make-key NOME')
}

/** `revoke-key NAME` */
export async function revokeKey({ db }: AuthContext, [name]: string[]): Promise<void> {
  if (name === undefined) throw new UsageError('Uso: npm run admin -- revoke-key NOME')
  if (!(await revokeApiKey(db, name)))
    throw new UsageError(`Não há chave ativa com o nome "${name}". Veja a lista: npm run admin -- list-keys`)
  console.log(`Chave "${name}" revogada. Ela deixa de funcionar em alguns segundos.`)
}

/** `rotate-keys [--overlap DAYS | --now]` */
export async function rotateSigningKey({ db, secrets, config }: AuthContext, args: string[]): Promise<void> {
  if (config.auth.signingKeyFile !== null)
    throw new UsageError(
      'A chave de assinatura está no arquivo de AUTH_SIGNING_KEY_FILE. Para trocar: coloque a nova chave antes da antiga no arquivo, reinicie o servidor e, mais tarde, remova a antiga.',
    )
  const { values } = readArguments(args, {
    usage: 'Uso: npm run admin -- rotate-keys [--overlap N | --now]',
    options: { overlap: { type: 'string' }, now: { type: 'boolean', default: false } },
    names: 0,
  })
  const days = values.now ? 0 : readDays(values.overlap ?? String(OVERLAP_DAYS), '--overlap')
  await rotateKeys(db, secrets, days * DAY_MS)
  console.log(
    days === 0
      ? 'Chave de assinatura alterada. Todas as sessões foram encerradas. As novas chaves:\n'
      : `Chave de assinatura alterada. A anterior ainda vale por ${formatCount(days, 'dia', 'dias')}: distribua as novas chaves até lá.\n`,
  )
}

function describeEnd({ expires_at, revoked_at }: ApiKeyRow): string {
  if (revoked_at !== null) return `revogada em ${revoked_at}`
  if (expires_at === null) return 'sem data de validade'
  return Date.parse(expires_at) <= Date.now() ? `vencida em ${expires_at}` : `válida até ${expires_at}`
}

function readDays(text: string, option: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days
  throw new UsageError(`${option} precisa ser um número de dias, de 1 a ${MOST_DAYS}.`)
}

/** `make-secret-key FILE [--if-absent]` */
export async function makeKeyFile(name: string, { ifAbsent }: { ifAbsent: boolean }): Promise<void> {
  const file = resolve(name)
  const known = await readSecretKeyFile(file)
  if (known !== null && ifAbsent) return console.log(`A chave ${known[0]?.id} já está em ${file}.`)
  if (known !== null)
    throw new SecretKeyError(
      `O arquivo ${file} já existe e não foi alterado. Para mantê-lo, use --if-absent.`,
    )
  const [key] = await makeSecretKeyFile(file)
  console.log(`Chave ${key?.id} salva em ${file}.
Copie este arquivo para cada máquina, informe o caminho em SECRET_KEY_FILE e guarde uma cópia longe do banco e dos backups.`)
}

/** `rotate-secret-key [--prepare]` */
export async function rotateKey(db: Db, config: Config, prepareOnly: boolean): Promise<void> {
  const { file } = config.secretKey
  await prepareDatabase(config, db, warn)
  const unlock = holdFileLock(file)
  try {
    const inForce = (await readKeyId(db)) ?? ''
    if ((await dropFormerKeys(file, inForce)) > 0) {
      console.log(
        `A troca já tinha sido feita: a chave ativa é ${inForce}. A antiga foi removida de ${file}.`,
      )
      return
    }
    const next = await addNextKey(file, inForce)
    if (prepareOnly) {
      console.log(`A próxima chave (${next.id}) está em ${file}, junto com a atual.
Copie o arquivo para cada máquina e rode "npm run admin -- rotate-secret-key" em uma delas. Depois, rode nas outras.`)
      return
    }
    const encrypted = await switchToKey(db, config.secretKey, next)
    await dropFormerKeys(file, next.id)
    await clearLeftovers(db).catch((cause: unknown) => warn(leftoversRemain(cause)))
    console.log(`Chave trocada: ${inForce} → ${next.id}. Segredos criptografados de novo: ${encrypted}.
Guarde uma cópia nova de ${file}. Os backups anteriores só abrem com a chave antiga.`)
  } finally {
    unlock()
  }
}

/** `discard-secrets` */
export async function discardUnreadable(db: Db, config: Config): Promise<void> {
  const discarded = await discardSecrets(config, db, giveUpSecrets)
  await clearLeftovers(db).catch((cause: unknown) => warn(leftoversRemain(cause)))
  const secrets = await prepareDatabase(config, db, warn)
  await createAuthContext(config, db, secrets)
  console.log(describeDiscarded(discarded))
}

function describeDiscarded({ keyId, kept, lost }: Discarded<GivenUp>): string {
  const lines = [`Chave ativa: ${keyId}. Segredos que ainda podem ser lidos: ${kept}.`]
  if (lost.signingKey)
    lines.push('Nova chave de assinatura: todas as sessões e chaves de API foram invalidadas.')
  if (lost.codes) lines.push('Códigos de recuperação e códigos enviados por e-mail foram excluídos.')
  if (lost.people.length > 0)
    lines.push(`Perderam a verificação em duas etapas e precisam ativar de novo: ${lost.people.join(', ')}.`)
  if (lost.pixels.length > 0)
    lines.push(`Perderam o token. Salve de novo no painel: ${lost.pixels.join(', ')}.`)
  if (lines.length === 1) lines.push('Nada precisou ser descartado.')
  else lines.push('Se o servidor estiver rodando, reinicie.')
  return lines.join('\n')
}

export function warn(problem: Error): void {
  console.error(problem.message)
}
