import { type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { HIDES_FIRST_STEPS, KEEPS_PASSWORD, type Notices } from '#contract/admin-page.ts'
import { useAction } from './queries.ts'
import { useServices } from './services.tsx'

const NOTICES_KEY = ['notices']

/** What the installation lacks, its problems, and what is left to do. A failure to read it is not shown. */
export function useNotices(
  options: Pick<UseQueryOptions<Notices>, 'staleTime'> = { staleTime: Number.POSITIVE_INFINITY },
) {
  const { admin } = useServices()
  return useQuery({
    queryKey: NOTICES_KEY,
    queryFn: () => admin<Notices>('/notices'),
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
    ...options,
  })
}

/** Until the dashboard is opened again: nothing is stored in the browser, where a tag could have put it. */
export function useDismissNotices() {
  const change = useChangeNotices()
  return () => change((known) => ({ ...known, gaps: [] }))
}

/** Confirms the server's clock: expired rows are deleted again. */
export function useConfirmClock() {
  const { admin } = useServices()
  const change = useChangeNotices()
  return useAction({
    mutationFn: () => admin<null>('/clock/confirm', { method: 'POST', body: {} }),
    onSuccess: () =>
      change((known) => ({
        ...known,
        problems: known.problems.filter(({ code }) => code !== 'clock_jumped'),
      })),
  })
}

/** Hides the first steps from this person, in every browser, or shows them again. */
export function useHideFirstSteps(onError: (error: unknown) => void) {
  const store = useStoreChoice()
  const change = useChangeNotices()
  return useAction({
    mutationFn: (hidden: boolean) => store({ [HIDES_FIRST_STEPS]: hidden ? true : null }),
    onSuccess: (_stored, hidden) =>
      change((known) => ({ ...known, first_steps: known.first_steps && { ...known.first_steps, hidden } })),
    onError,
  })
}

/** The person keeps the password that the program made: nobody asks again. */
export function useKeepPassword(onError: (error: unknown) => void) {
  const store = useStoreChoice()
  const end = useEndPasswordOffer()
  return useAction({ mutationFn: () => store({ [KEEPS_PASSWORD]: true }), onSuccess: end, onError })
}

/** The offer is over, whatever the person chose. */
export function useEndPasswordOffer() {
  const change = useChangeNotices()
  return () => change((known) => ({ ...known, offers_password: false }))
}

function useChangeNotices() {
  const queryClient = useQueryClient()
  return (change: (known: Notices) => Notices) =>
    queryClient.setQueryData<Notices>(NOTICES_KEY, (known) => known && change(known))
}

/** Keeps a choice with the account. The auth client is loaded when it is needed. */
function useStoreChoice() {
  const { auth } = useServices()
  return async (data: Record<string, boolean | null>) => {
    const [client, { unwrapAuth }] = await Promise.all([auth(), import('./auth-client.ts')])
    await unwrapAuth(client.updateUser({ data }))
  }
}
