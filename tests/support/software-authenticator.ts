import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const KEY_ATTACHED = 0x40

interface AuthenticatorOptions {
  rpId: string
  origin: string
}

interface Answer {
  /** False: somebody is present, but not verified. */
  verified?: boolean
  origin?: string
  rpId?: string
  counter?: number
}

/** One key of an authenticator (ES256, without attestation), with the faults of a test. */
export class SoftwareAuthenticator {
  readonly #options: AuthenticatorOptions
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = randomBytes(32).toString('base64url')
  #userHandle = ''
  counter = 0

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  create(options: { challenge: string; user: { id: string } }, answer: Answer = {}): object {
    this.#userHandle = options.user.id
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const attached = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(cose)])
    const authData = this.#authenticatorData(answer, KEY_ATTACHED, attached)
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, answer).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  get(options: { challenge: string }, answer: Answer = {}): object {
    this.counter++
    const clientData = this.#clientData('webauthn.get', options.challenge, answer)
    const authData = this.#authenticatorData(answer, 0, Buffer.alloc(0))
    const signer = createSign('sha256')
      .update(authData)
      .update(createHash('sha256').update(clientData).digest())
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signer.sign(this.#keys.privateKey).toString('base64url'),
        userHandle: this.#userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string, { origin = this.#options.origin }: Answer): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #authenticatorData(
    { verified = true, rpId = this.#options.rpId, counter = this.counter }: Answer,
    flags: number,
    rest: Buffer,
  ): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flag = USER_PRESENT | (verified ? USER_VERIFIED : 0) | flags
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flag]), count, rest])
  }
}
