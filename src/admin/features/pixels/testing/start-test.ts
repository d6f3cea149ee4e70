import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/notify.ts'
import { navigate } from '#admin/lib/address.ts'
import { testPath } from '#admin/lib/places.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { CreatedTest, NewTest } from '#contract/tag-test.ts'
import { testKey, testLinkKey, testsKey } from './read-tests.ts'

/** Makes a test, with Meta's code where there is one, opens the site with it in another tab, and shows its steps in this one. */
export function useStartTest() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ pixelId, testCode }: { pixelId: string; testCode?: string }) =>
      admin<CreatedTest>(`/pixels/${pixelId}/tests`, {
        method: 'POST',
        body: (testCode === undefined ? {} : { test_event_code: testCode }) satisfies NewTest,
      }),
    onSuccess: async ({ id, url }, { pixelId }) => {
      // The one place where the link is: in memory, for a browser that did not open the tab by itself.
      queryClient.setQueryData(testLinkKey(id), url)
      queryClient.removeQueries({ queryKey: testKey(id) })
      // Neither the address nor the window of the dashboard is the tags' business.
      open(url, '_blank', 'noopener,noreferrer')
      navigate(testPath(pixelId, id))
      await queryClient.invalidateQueries({ queryKey: testsKey(pixelId) })
    },
    onError: (error) => notifyFailure('Não deu para começar o teste.', error),
  })
}
