import { useQuery, useQueryClient } from '@tanstack/react-query'
import { toFailure } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { TagTest, TestSummary } from '#contract/tag-test.ts'

const LIVE_MS = 1_000

export const testsKey = (pixelId: string) => ['tests', pixelId] as const
export const testKey = (testId: string) => ['test', testId] as const
export const testLinkKey = (testId: string) => ['test-link', testId] as const

/** The last tests of a pixel. */
export function useTests(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: testsKey(pixelId),
    queryFn: ({ signal }) => admin<{ tests: TestSummary[] }>(`/pixels/${pixelId}/tests`, { signal }),
    select: ({ tests }) => tests,
  })
}

/** One test, looked at every second for as long as its page may have something to say. */
export function useTest(pixelId: string, testId: string) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: testKey(testId),
    queryFn: ({ signal }) => admin<TagTest>(`/pixels/${pixelId}/tests/${testId}`, { signal }),
    refetchInterval: ({ state: { data, error } }) =>
      isGone(error) || (data !== undefined && isOver(data)) ? false : LIVE_MS,
    // The steps are in the other tab, and this one is looked at beside it.
    refetchIntervalInBackground: true,
  })
  return {
    ...query,
    isGone: isGone(query.error),
    link: queryClient.getQueryData<string>(testLinkKey(testId)),
  }
}

const isGone = (error: unknown) => error !== null && toFailure(error).status === 404

function isOver({ state, steps, awaits_copies }: TagTest): boolean {
  if (awaits_copies) return false
  const last = steps.findLast(({ kind }) => kind !== 'copy')
  return state === 'expired' || state === 'left' || last?.kind === 'left'
}
