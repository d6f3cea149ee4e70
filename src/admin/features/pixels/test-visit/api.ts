import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/toast.tsx'
import { toFailure } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { navigate, paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { CreatedTest, NewTest, TagTest, TestSummary } from '#contract/tag-test.ts'

/** Creates a test, with Meta's code if there is one, opens the site in another tab, and shows the steps in this one. */
export function useStartTest() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: ({ pixelId, testCode }: { pixelId: string; testCode?: string }) =>
      admin<CreatedTest>(`/pixels/${pixelId}/tests`, {
        method: 'POST',
        body: (testCode === undefined ? {} : { test_event_code: testCode }) satisfies NewTest,
      }),
    onSuccess: async ({ id, url }, { pixelId }) => {
      // The link exists only in memory, for browsers that did not open the tab.
      queryClient.setQueryData(testLinkKey(id), url)
      queryClient.removeQueries({ queryKey: testKey(id) })
      // Tags must get neither the address nor the window of the dashboard.
      open(url, '_blank', 'noopener,noreferrer')
      navigate(paths.test(pixelId, id))
      await queryClient.invalidateQueries({ queryKey: testsKey(pixelId) })
    },
    onError: (error) => notifyFailure('Não foi possível iniciar o teste.', error),
  })
}

const LIVE_MS = 1_000

const testsKey = (pixelId: string) => ['tests', pixelId] as const

const testKey = (testId: string) => ['test', testId] as const

const testLinkKey = (testId: string) => ['test-link', testId] as const

/** The last tests of a pixel. */
export function useTests(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: testsKey(pixelId),
    queryFn: ({ signal }) => admin<{ tests: TestSummary[] }>(`/pixels/${pixelId}/tests`, { signal }),
    select: ({ tests }) => tests,
  })
}

/** One test, polled every second while its page may report. */
export function useTest(pixelId: string, testId: string) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: testKey(testId),
    queryFn: ({ signal }) => admin<TagTest>(`/pixels/${pixelId}/tests/${testId}`, { signal }),
    refetchInterval: ({ state: { data, error } }) =>
      isGone(error) || (data !== undefined && isOver(data)) ? false : LIVE_MS,
    // The steps happen in the other tab, while this one is watched beside it.
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
