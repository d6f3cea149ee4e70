import type { QueryClient } from '@tanstack/react-query'
import type { Pixel } from '#contract/pixel.ts'
import { PIXELS_KEY } from './list-pixels.ts'

/** Subject of the messages about one pixel: a later change of it ends the offer to undo an earlier one. */
export const aboutPixel = (id: string) => `pixel-${id}`

export function readCachedPixel(queryClient: QueryClient, id: string): Pixel | undefined {
  return queryClient.getQueryData<Pixel[]>(PIXELS_KEY)?.find((pixel) => pixel.id === id)
}

/** Changes one pixel of the cached list in place, so that the screen need not wait for the list to come again. */
export function patchCachedPixel(queryClient: QueryClient, id: string, change: Partial<Pixel>): void {
  queryClient.setQueryData<Pixel[]>(PIXELS_KEY, (pixels) =>
    pixels?.map((pixel) => (pixel.id === id ? { ...pixel, ...change } : pixel)),
  )
}

/** Writes of one pixel from this tab wait for each other. */
export const writesOf = (id: string) => ({ id: `write-pixel-${id}` })

/** For each cache: the version of a pixel that a switch of this tab, and nothing else, made of another. */
const ownVersions = new WeakMap<QueryClient, Map<string, string>>()

/** Remembers that what was stored differs from what was on screen by the switch alone. */
export function noteOwnSwitch(queryClient: QueryClient, shown: Pixel | undefined, stored: Pixel): void {
  if (shown === undefined) return
  const { is_active: _on, updated_at, ...rest } = shown
  const isOnlyOurs = Object.entries(rest).every(
    ([column, value]) => JSON.stringify(stored[column as keyof Pixel]) === JSON.stringify(value),
  )
  if (!isOnlyOurs) return
  const versions = ownVersions.get(queryClient) ?? new Map<string, string>()
  ownVersions.set(queryClient, versions.set(`${shown.id} ${updated_at}`, stored.updated_at))
}

/** The version that a pixel has now as far as this tab changed it: switching and editing it is no conflict with oneself. */
export function latestOwnVersion(queryClient: QueryClient, { id, updated_at }: Pixel): string {
  const versions = ownVersions.get(queryClient)
  let version = updated_at
  for (let next = versions?.get(`${id} ${version}`); next !== undefined && next !== version; ) {
    version = next
    next = versions?.get(`${id} ${version}`)
  }
  return version
}
