import type { SecretKey } from './secret-key.ts'
import { SecretKeyError } from './secret-key-error.ts'
import { readSecretKeyFile } from './secret-key-file.ts'

/** The keys of the file, read again when one is asked for that was not among them: an operator may have changed it. */
export class SecretKeyRing {
  readonly file: string
  #keys: readonly SecretKey[]

  constructor(file: string, keys: readonly SecretKey[]) {
    this.file = file
    this.#keys = keys
  }

  /** The key that an empty database takes. */
  get first(): SecretKey {
    const [first] = this.#keys
    if (first === undefined) throw new SecretKeyError(`O arquivo de chave ${this.file} não existe.`)
    return first
  }

  async find(id: string): Promise<SecretKey> {
    const known = this.#keys.find((key) => key.id === id)
    if (known !== undefined) return known
    this.#keys = (await readSecretKeyFile(this.file)) ?? []
    return this.require(id)
  }

  /** Without looking at the file again. */
  require(id: string): SecretKey {
    const key = this.#keys.find((candidate) => candidate.id === id)
    if (key === undefined) throw otherKey(this.file, id, this.#keys)
    return key
  }
}

function otherKey(file: string, wanted: string, found: readonly SecretKey[]): SecretKeyError {
  const there = found.length === 0 ? 'não existe' : `contém a chave ${found.map((key) => key.id).join(', ')}`
  return new SecretKeyError(
    `Os segredos deste banco de dados foram cifrados com a chave ${wanted}, e o arquivo ${file} ${there}. Nada foi alterado.
Traga a cópia do arquivo com a chave ${wanted}. Se ela se perdeu, "npm run admin -- discard-secrets" abre mão dos segredos que não podem mais ser lidos.`,
  )
}
