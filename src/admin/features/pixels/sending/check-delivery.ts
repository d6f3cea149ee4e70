import { useQueryClient } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import { useOneAtATime } from '#admin/lib/use-one-at-a-time.ts'
import type { DeliveryCheck, DeliveryCheckInput, DeliveryDraftInput } from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { TAGS_KEY } from '../api/tag-overview.ts'
import { toSendingColumns } from './sending-form.ts'

type Draft = Omit<DeliveryDraftInput, 'test_event_code'>

interface CheckRequest {
  /** Of what is saved; null to check the form. */
  pixelId: string | null
  /** What the form holds, or held when it was saved. */
  draft: Draft
  /** Whose answer it will be. */
  type: PixelType
  /** Meta's; empty for the others. */
  testEventCode: string
}

/** What a form holds of sending. */
export function toDraft(form: PixelForm, id: string | null): Draft {
  const { access_token, webhook_url } = toSendingColumns(form)
  return {
    ...(id === null ? {} : { id }),
    type: form.type,
    pixel_id: form.type === 'custom' ? null : form.pixel_id.trim(),
    ...(access_token === undefined ? {} : { access_token }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
  }
}

/** Sends a test event, of the pixel as it is saved or of a form, and answers with what was sent and what came back. */
export function useCheckDelivery() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useOneAtATime({
    mutationFn: async ({ pixelId, draft, testEventCode }: CheckRequest) => {
      const code = testEventCode.trim()
      const body: DeliveryCheckInput = code === '' ? {} : { test_event_code: code }
      if (pixelId === null)
        return admin<DeliveryCheck>('/pixels/check', { method: 'POST', body: { ...draft, ...body } })
      const check = await admin<DeliveryCheck>(`/pixels/${pixelId}/check`, { method: 'POST', body })
      // The pixel's health follows from the answer.
      void queryClient.invalidateQueries({ queryKey: TAGS_KEY })
      return check
    },
  })
}
