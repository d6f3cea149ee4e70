import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { DestinationField, ServedDestination } from '#contract/conversions.ts'
import type { Pixel, PixelType } from '#contract/pixel.ts'
import { WEBHOOK } from './sending.ts'

/** Where the server can send events, with the fields and texts of each. It changes with a release only. */
export function useDestinations() {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['destinations'],
    queryFn: ({ signal }) => admin<ServedDestination[]>('/destinations', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The destination of a pixel; undefined until it is known. */
export function useDestinationOf(pixel: Pick<Pixel, 'type' | 'destination'>) {
  return findDestination(useDestinations().data, pixel)
}

function findDestination(
  destinations: readonly ServedDestination[] | undefined,
  { type, destination }: Pick<Pixel, 'type' | 'destination'>,
) {
  return destinations?.find((each) => (destination === null ? each.type === type : each.id === destination))
}

/** Where the server sends a pixel's tests, if the vendor recognises them by a code; null otherwise. */
export function findTestCode(
  destinations: readonly ServedDestination[] | undefined,
  pixel: Pick<Pixel, 'type' | 'destination' | 'delivery'>,
): { meaning: string; field: DestinationField } | null {
  const test = pixel.delivery === 'browser' ? undefined : findDestination(destinations, pixel)?.test
  return test?.code ? { meaning: test.meaning, field: test.code } : null
}

/** The vendor that a custom pixel is sent to; null for a type's own destination. */
export function useVendorOf(pixel: Pick<Pixel, 'type' | 'destination'>): ServedDestination | null {
  const destination = useDestinationOf(pixel)
  return destination === undefined ? null : vendorOf(pixel.type, destination)
}

export function vendorOf(type: PixelType, destination: ServedDestination): ServedDestination | null {
  return type === 'custom' && destination.id !== WEBHOOK ? destination : null
}
