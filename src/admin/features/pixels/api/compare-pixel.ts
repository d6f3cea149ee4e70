import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import { useSettled } from '#admin/lib/use-settled.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelConflict } from '#contract/pixel-history.ts'
import { type PixelForm, toRow } from './save-pixel.ts'

/** What is typed, beside what somebody else saved; again once the typing rests. */
export function useConflict({ id, updated_at }: Pick<Pixel, 'id' | 'updated_at'>, form: PixelForm) {
  const { admin } = useServices()
  // A secret that was typed goes where it is stored, and nowhere else.
  const { access_token: _secret, ...columns } = toRow(form)
  const typed = useSettled(JSON.stringify(columns))
  return useQuery({
    queryKey: ['conflict', id, updated_at, typed],
    queryFn: ({ signal }) =>
      admin<PixelConflict>(`/pixels/${id}/compare`, { method: 'POST', body: JSON.parse(typed), signal }),
    placeholderData: (former) => former,
  })
}
