import { readFile } from 'node:fs/promises'
import { type EvidenceSeal, SEALS_PATH, type SealPage } from '#contract/consent.ts'
import { OperatorError } from '#server/operator-error.ts'

const TIME_LIMIT_MS = 20_000

/** A seal as it was published: at the address of a site, or in a page of its seals that somebody kept. */
export async function readPublicSeal(place: string, sequence: number): Promise<EvidenceSeal | null> {
  const { seals } = await read(place, sequence)
  if (!Array.isArray(seals)) throw unreadable(place, 'não é uma página de selos')
  return seals.find((seal) => seal.sequence === sequence) ?? null
}

async function read(place: string, sequence: number): Promise<Partial<SealPage>> {
  try {
    return /^https?:\/\//.test(place) ? await ask(place, sequence) : await readKept(place)
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    throw unreadable(place, cause?.code ?? message)
  }
}

function unreadable(place: string, reason: string): OperatorError {
  return new OperatorError(
    `Os selos publicados não puderam ser lidos em ${place} (${reason}). Diga o endereço do site, como https://www.exemplo.com.br, ou um arquivo com os selos.`,
  )
}

async function ask(site: string, sequence: number): Promise<SealPage> {
  const address = new URL(`${SEALS_PATH}?before=${sequence + 1}`, site)
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIME_LIMIT_MS) })
  if (!answer.ok) throw new Error(`${address} respondeu ${answer.status}`)
  return (await answer.json()) as SealPage
}

async function readKept(file: string): Promise<SealPage> {
  return JSON.parse(await readFile(file, 'utf8'))
}
