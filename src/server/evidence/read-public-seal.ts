import { readFile } from 'node:fs/promises'
import { type EvidenceSeal, SEALS_PATH, type SealPage } from '#contract/consent-evidence.ts'

const TIME_LIMIT_MS = 20_000

/** A seal as it was published: at the address of a site, or in a page of its seals that somebody kept. */
export async function readPublicSeal(place: string, sequence: number): Promise<EvidenceSeal | null> {
  const { seals } = /^https?:\/\//.test(place) ? await ask(place, sequence) : await readKept(place)
  return seals.find((seal) => seal.sequence === sequence) ?? null
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
