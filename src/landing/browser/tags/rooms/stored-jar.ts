import { type Jar, jarKey } from '#contract/isolated-frame.ts'

/** What an isolated tag kept. Nobody in the page reads it; it goes with the consent, by its key in the manifest. */
export function readJar(pixelId: string): Jar {
  const read = (area: () => Storage) => attempt(() => area()[jarKey(pixelId)]) ?? ''
  return { local: read(() => localStorage), session: read(() => sessionStorage) }
}

export function storeJar(pixelId: string, { local, session }: Jar): void {
  attempt(() => localStorage.setItem(jarKey(pixelId), local))
  attempt(() => sessionStorage.setItem(jarKey(pixelId), session))
}

/** Storage may be forbidden or full: then a tag forgets. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
