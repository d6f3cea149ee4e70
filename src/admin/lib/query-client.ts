import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { RequestError } from './request-error.ts'
import { retryDelay, shouldRetryRead } from './retry-read.ts'

/** `onRefused` hears of every call that was refused for who made it: the session may be over. */
export function createQueryClient(onRefused: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof RequestError && (error.status === 401 || error.status === 403)) onRefused()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The server may be on this very machine: being "offline" is no reason to hold a request back.
      queries: { retry: shouldRetryRead, retryDelay, networkMode: 'always', refetchOnWindowFocus: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}
