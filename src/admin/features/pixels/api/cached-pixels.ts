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
