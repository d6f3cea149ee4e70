import { useServices } from '#admin/lib/services.tsx'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { DeliveryCheck, DeliveryCheckInput } from '#contract/delivery-log.ts'
import type { PixelType } from '#contract/pixel.ts'

interface CheckRequest {
  pixelId: string
  /** Whose answer it will be. */
  type: PixelType
  /** Meta's; empty for the others. */
  testEventCode: string
}

/** Sends a test event as the pixel is saved, and answers with what was sent and what came back. */
export function useCheckDelivery() {
  const { admin } = useServices()
  return useOneAtATime({
    mutationFn: ({ pixelId, testEventCode }: CheckRequest) => {
      const code = testEventCode.trim()
      const body: DeliveryCheckInput = code === '' ? {} : { test_event_code: code }
      return admin<DeliveryCheck>(`/pixels/${pixelId}/check`, { method: 'POST', body })
    },
  })
}
