import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useServices } from '#admin/lib/services.tsx'
import type { TagPreview, TagPreviewRequest, TagWarning } from '#contract/tag-status.ts'

const PAUSE_MS = 400

/** What is wrong with the code as it is being typed, a moment after the last key. */
export function useTagWarnings(form: TagPreviewRequest): readonly TagWarning[] {
  const { admin } = useServices()
  const settled = useSettled(JSON.stringify(form))
  const { data } = useQuery({
    queryKey: ['tag-preview', settled],
    queryFn: ({ signal }) =>
      admin<TagPreview>('/tags/preview', { method: 'POST', body: JSON.parse(settled), signal }),
    enabled: form.code.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  return form.code.trim() === '' ? [] : (data?.warnings ?? [])
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
