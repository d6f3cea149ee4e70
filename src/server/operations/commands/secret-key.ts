import { resolve } from 'node:path'
import { createAuthContext } from '#server/auth/auth.ts'
import { type GivenUp, giveUpSecrets } from '#server/auth/keys/give-up-secrets.ts'
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

/** `make-secret-key FILE [--if-absent]` */
export async function makeKeyFile(name: string, { ifAbsent }: { ifAbsent: boolean }): Promise<void> {
  const file = resolve(name)
  const known = await readSecretKeyFile(file)
  if (known !== null && ifAbsent) return console.log(`A chave ${known[0]?.id} já está em ${file}.`)
  if (known !== null) throw new SecretKeyError(`O arquivo ${file} já existe e não foi alterado.`)
  const [key] = await makeSecretKeyFile(file)
  console.log(`Chave ${key?.id} gravada em ${file}.
Ponha este arquivo em cada máquina, diga onde está em SECRET_KEY_FILE e guarde uma cópia longe do banco de dados e de seus backups.`)
}

/** `rotate-secret-key [--prepare]` */
export async function rotateKey(db: Db, config: Config, prepareOnly: boolean): Promise<void> {
  const { file } = config.secretKey
  await prepareDatabase(config, db, warn)
  const unlock = holdFileLock(file)
  try {
    const inForce = (await readKeyId(db)) ?? ''
    if ((await dropFormerKeys(file, inForce)) > 0) {
      console.log(`A troca já estava feita: a chave em vigor é ${inForce}. A antiga foi retirada de ${file}.`)
      return
    }
    const next = await addNextKey(file, inForce)
    if (prepareOnly) {
      console.log(`A próxima chave, ${next.id}, está em ${file}, junto da que está em vigor.
Copie o arquivo para cada máquina e rode "npm run admin -- rotate-secret-key" em uma delas; depois, nas outras.`)
      return
    }
    const sealed = await switchToKey(db, config.secretKey, next)
    await dropFormerKeys(file, next.id)
    await clearLeftovers(db).catch((cause: unknown) => warn(leftoversRemain(cause)))
    console.log(`Chave trocada: ${inForce} deu lugar a ${next.id}. Segredos cifrados de novo: ${sealed}.
Guarde uma cópia nova de ${file}. Backups anteriores só abrem com a chave antiga.`)
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
  console.log(describe(discarded))
}

function describe({ keyId, kept, lost }: Discarded<GivenUp>): string {
  const lines = [`Chave em vigor: ${keyId}. Segredos que continuam legíveis: ${kept}.`]
  if (lost.signingKey)
    lines.push('Nova chave de assinatura: todas as sessões e chaves de API deixaram de valer.')
  if (lost.codes) lines.push('Códigos de recuperação e códigos enviados por e-mail foram apagados.')
  if (lost.people.length > 0)
    lines.push(`Sem verificação em duas etapas, até que a liguem de novo: ${lost.people.join(', ')}.`)
  if (lost.pixels.length > 0)
    lines.push(`Sem token, até que ele seja salvo de novo no painel: ${lost.pixels.join(', ')}.`)
  if (lines.length === 1) lines.push('Nada precisou ser descartado.')
  else lines.push('Reinicie o servidor, se ele estiver rodando.')
  return lines.join('\n')
}

export function warn(problem: Error): void {
  console.error(problem.message)
}
