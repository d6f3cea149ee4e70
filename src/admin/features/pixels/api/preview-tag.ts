import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { AdminApi } from '#admin/lib/admin-api.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { TagPreview, TagPreviewRequest } from '#contract/tag-status.ts'

const PAUSE_MS = 400
/** More than this at once was pasted, and is whole: there is no next key to wait for. */
const PASTED_LENGTH = 4
/** Whoever saves is not kept longer by what is only a help. */
const WAIT_MS = 3_000

export interface PreviewState {
  /** Of what is in the form now, or while that is asked for, of what was there before. */
  preview: TagPreview | null
  /** True when `preview` is about exactly what is in the form. */
  isCurrent: boolean
  isFailed: boolean
  retry: () => void
}

/** What the code would do, asked for a moment after the last key. An older question is dropped when a newer one is asked. */
export function useTagPreview(form: TagPreviewRequest): PreviewState {
  const { admin } = useServices()
  const asked = JSON.stringify(form)
  const settled = useSettled(asked)
  const isBlank = form.code.trim() === ''
  const { data, isPlaceholderData, isError, refetch } = useQuery({
    ...previewOptions(admin, settled),
    // What has settled may still be the empty field of a moment ago.
    enabled: !isBlank && (JSON.parse(settled) as TagPreviewRequest).code.trim() !== '',
    placeholderData: keepPreviousData,
  })
  return {
    preview: isBlank ? null : (data ?? null),
    isCurrent: !isBlank && asked === settled && data !== undefined && !isPlaceholderData,
    isFailed: !isBlank && isError,
    retry: () => void refetch(),
  }
}

/** The same answer without waiting for a pause; null when it does not come soon. */
export function useAskPreview(): (form: TagPreviewRequest) => Promise<TagPreview | null> {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return (form) => {
    const answer = queryClient.fetchQuery(previewOptions(admin, JSON.stringify(form))).catch(() => null)
    const tooLate = new Promise<null>((resolve) => setTimeout(() => resolve(null), WAIT_MS))
    return Promise.race([answer, tooLate])
  }
}

function previewOptions(admin: AdminApi, form: string) {
  return queryOptions({
    queryKey: ['tag-preview', form],
    queryFn: ({ signal }) =>
      admin<TagPreview>('/tags/preview', { method: 'POST', body: JSON.parse(form), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  const last = useRef(value)
  useEffect(() => {
    const isPasted = Math.abs(value.length - last.current.length) >= PASTED_LENGTH
    last.current = value
    const timer = setTimeout(() => setSettled(value), isPasted ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
