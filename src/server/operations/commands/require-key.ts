import type { Config } from '#server/config.ts'
import { BackupError } from '#server/db/errors.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'

/** `source` is the name that the operator knows, `verb` what they are told to do again. */
interface Attempt {
  source: string
  verb: 'restaure' | 'importe'
}

/** Refuses what was sealed with a key that is not here, before anything is replaced. */
export async function requireKey(
  { secretKey }: Config,
  keyId: string | null,
  { source, verb }: Attempt,
): Promise<void> {
  if (keyId === null) return
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (keys.some((key) => key.id === keyId)) return
  const there = keys.length === 0 ? 'não existe' : `contém a chave ${keys.map((key) => key.id).join(', ')}`
  const rest = verb === 'restaure' ? 'restaura' : 'importa'
  throw new BackupError(
    `Os segredos de ${source} foram cifrados com a chave ${keyId}, e o arquivo ${secretKey.file} ${there}. Nada foi alterado.
Ponha lá a cópia com a chave ${keyId} e ${verb} de novo. Se ela se perdeu, --discard-secrets ${rest} o resto e abre mão dos segredos.`,
  )
}
