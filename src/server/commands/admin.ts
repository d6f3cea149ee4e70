/** `npm run admin -- COMMAND`: accounts, keys and the key that seals secrets. */

import type { AuthContext } from '../auth/auth-context.ts'
import { createAuthContext } from '../auth/create-auth.ts'
import { resetPassword } from '../auth/passwords/reset-password.ts'
import { removeFactors } from '../auth/second-factors/remove-factors.ts'
import { type Config, parseConfig, readEnvironment } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { prepareDatabase } from '../secrets/prepare-database.ts'
import { listKeys, makeKey, revokeKey, rotateSigningKey, showKeys } from './api-keys.ts'
import { runCommand, UsageError } from './run-command.ts'
import { discardUnreadable, makeKeyFile, rotateKey, warn } from './secret-key.ts'

const USAGE = `Uso:
  npm run admin -- reset-password EMAIL   gera uma nova senha e encerra todas as sessões da pessoa
  npm run admin -- remove-factors EMAIL   desliga a verificação em duas etapas, apaga as chaves de acesso e encerra todas as sessões da pessoa
  npm run admin -- keys                   mostra a chave pública e a chave de serviço "padrão"
  npm run admin -- make-key NOME [--days N]       cria uma chave de serviço com nome, e com validade se N for dado
  npm run admin -- list-keys                      mostra as chaves de serviço: nome, criação, validade
  npm run admin -- revoke-key NOME                revoga uma chave de serviço
  npm run admin -- rotate-keys [--overlap N]      troca a chave de assinatura; o que a antiga assinou vale por mais N dias (7)
  npm run admin -- rotate-keys --now              o mesmo, e todas as sessões e chaves antigas deixam de valer já
  npm run admin -- make-secret-key ARQUIVO        cria a chave que cifra os segredos do banco (SECRET_KEY_FILE);
                                                  com --if-absent, deixa em paz a que já existe
  npm run admin -- rotate-secret-key [--prepare]  troca essa chave; com --prepare só a põe no arquivo, para ser distribuída
  npm run admin -- discard-secrets                abre mão dos segredos que a chave não abre mais`

await runCommand(async () => {
  const [command, ...args] = process.argv.slice(2)
  // It makes what the configuration may be waiting for.
  if (command === 'make-secret-key') {
    if (args[0] === undefined) throw new UsageError(USAGE)
    return makeKeyFile(args[0], { ifAbsent: args.includes('--if-absent') })
  }
  const config = parseConfig(readEnvironment())
  switch (command) {
    case 'reset-password':
      return withAuth(config, (auth) => showNewPassword(auth, args[0]))
    case 'remove-factors':
      return withAuth(config, (auth) => dropFactors(auth, args[0]))
    case 'keys':
      return withAuth(config, showKeys)
    case 'make-key':
      return withAuth(config, (auth) => makeKey(auth, args))
    case 'list-keys':
      return withAuth(config, listKeys)
    case 'revoke-key':
      return withAuth(config, (auth) => revokeKey(auth, args))
    case 'rotate-keys':
      return withAuth(config, (auth) => rotateSigningKey(auth, args)).then(() => withAuth(config, showKeys))
    case 'rotate-secret-key':
      return rotateKey(config, args.includes('--prepare'))
    case 'discard-secrets':
      return discardUnreadable(config)
    default:
      throw new UsageError(USAGE)
  }
})

/** Works beside a running server: only servers lock the data directory. */
async function withAuth(config: Config, work: (auth: AuthContext) => Promise<void>): Promise<void> {
  const database = openDatabase(config)
  try {
    const secrets = await prepareDatabase(config, database.db, warn)
    const auth = await createAuthContext(config, database.db, secrets)
    await work(auth)
    // Who is concerned is told by mail.
    await auth.mail.close()
  } finally {
    await database.close()
  }
}

async function showNewPassword(auth: AuthContext, email: string | undefined): Promise<void> {
  if (email === undefined) throw new UsageError(USAGE)
  const password = await resetPassword(auth, email)
  if (password === null) throw new UsageError(`Não há nenhuma conta com o e-mail ${email}.`)
  console.log(`Nova senha de ${email}: ${password}\nTodas as sessões dessa conta foram encerradas.`)
}

async function dropFactors(auth: AuthContext, email: string | undefined): Promise<void> {
  if (email === undefined) throw new UsageError(USAGE)
  const removed = await removeFactors(auth, email)
  if (removed === null) throw new UsageError(`Não há nenhuma conta com o e-mail ${email}.`)
  console.log(
    removed === 0
      ? `A conta ${email} não tinha verificação em duas etapas. Todas as suas sessões foram encerradas.`
      : `Verificação em duas etapas de ${email} desligada. Todas as sessões dessa conta foram encerradas.`,
  )
}
