import { formatCount } from '#contract/format-count.ts'
import { removeFactors, resetPassword } from '#server/auth/accounts/reset-access.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import type { AuthContext } from '#server/auth/context.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { change } from '#server/db/transactions/change.ts'
import { OPERATOR_ACTOR } from '#server/http/security/administrators.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { confirmClock } from '../production-gaps.ts'
import { type CommandContext, UsageError } from './command.ts'
import {
  discardUnreadable,
  listKeys,
  makeKey,
  makeKeyFile,
  revokeKey,
  rotateKey,
  rotateSigningKey,
  showKeys,
  warn,
} from './keys.ts'

const USAGE = `Uso: npm run admin -- COMANDO

Contas
  reset-password EMAIL          gera uma nova senha, desbloqueia o acesso e encerra as sessões da conta
  remove-factors EMAIL          remove a verificação em duas etapas e as chaves de acesso, e encerra as sessões

Chaves de API
  keys                          mostra a chave pública e a chave de serviço "padrão"
  make-key NOME [--days N]      cria uma chave de serviço, com validade de N dias se informado
  list-keys                     lista as chaves de serviço
  revoke-key NOME               revoga uma chave de serviço
  rotate-keys [--overlap N]     troca a chave de assinatura; a anterior vale por mais N dias (padrão: 7)
  rotate-keys --now             troca a chave de assinatura e invalida já todas as sessões e chaves de API

Chave dos segredos (SECRET_KEY_FILE)
  make-secret-key ARQUIVO [--if-absent]   cria a chave; com --if-absent, mantém a que já existe
  rotate-secret-key [--prepare]           troca a chave; com --prepare, só grava a próxima no arquivo
  discard-secrets                         descarta os segredos que a chave não abre mais

Relógio
  confirm-clock                 confirma que o relógio está certo depois de um salto; o que passou do prazo volta a ser apagado

Todos aceitam --env-file ARQUIVO, com as configurações do serviço.`

/** `admin COMMAND`: accounts, keys, the key that encrypts secrets, and the clock. */
export async function admin({ args: [command, ...args], withDatabase }: CommandContext): Promise<void> {
  const withAuth = (work: (auth: AuthContext) => Promise<void>) =>
    withDatabase((db, config) => onAuth(db, config, work))
  switch (command) {
    case 'make-secret-key':
      // It creates a file that the configuration may require.
      if (args[0] === undefined) throw new UsageError(USAGE)
      return makeKeyFile(args[0], { ifAbsent: args.includes('--if-absent') })
    case 'reset-password':
      return withAuth((auth) => showNewPassword(auth, args[0]))
    case 'remove-factors':
      return withAuth((auth) => dropFactors(auth, args[0]))
    case 'keys':
      return withAuth(showKeys)
    case 'make-key':
      return withAuth((auth) => makeKey(auth, args))
    case 'list-keys':
      return withAuth(listKeys)
    case 'revoke-key':
      return withAuth((auth) => revokeKey(auth, args))
    case 'rotate-keys':
      await withAuth((auth) => rotateSigningKey(auth, args))
      return withAuth(showKeys)
    case 'rotate-secret-key':
      return withDatabase((db, config) => rotateKey(db, config, args.includes('--prepare')))
    case 'discard-secrets':
      return withDatabase(discardUnreadable)
    case 'confirm-clock':
      return withDatabase(sayClockIsRight)
    default:
      throw new UsageError(USAGE)
  }
}

async function onAuth(db: Db, config: Config, work: (auth: AuthContext) => Promise<void>): Promise<void> {
  const secrets = await prepareDatabase(config, db, warn)
  const auth = await createAuthContext(config, db, secrets)
  await work(auth)
}

async function sayClockIsRight(db: Db, config: Config): Promise<void> {
  await prepareDatabase(config, db, warn)
  const now = new Date()
  await change(db, (trx) => confirmClock(trx, OPERATOR_ACTOR, now))
  console.log(
    `Relógio confirmado: ${now.toISOString()}. O que passou do prazo volta a ser apagado em até 15 minutos.`,
  )
}

async function showNewPassword(auth: AuthContext, email: string | undefined): Promise<void> {
  if (email === undefined) throw new UsageError(USAGE)
  const password = await resetPassword(auth, email)
  if (password === null) throw new UsageError(`Nenhuma conta usa o e-mail ${email}.`)
  console.log(
    `Nova senha de ${email}: ${password}\nAs sessões dessa conta foram encerradas, e o acesso foi desbloqueado.`,
  )
}

async function dropFactors(auth: AuthContext, email: string | undefined): Promise<void> {
  if (email === undefined) throw new UsageError(USAGE)
  const removed = await removeFactors(auth, email)
  if (removed === null) throw new UsageError(`Nenhuma conta usa o e-mail ${email}.`)
  const { factors, passkeys } = removed
  console.log(
    factors === 0
      ? `A conta ${email} não usava verificação em duas etapas.`
      : `Verificação em duas etapas de ${email} desativada.`,
  )
  if (passkeys > 0)
    console.log(`${formatCount(passkeys, 'chave de acesso removida', 'chaves de acesso removidas')}.`)
  console.log('As sessões dessa conta foram encerradas.')
}
