import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * A mutation that a second click does not start again while the first is under way. `isPending`, by which a button is
 * disabled, comes with the next render: too late for a double click.
 */
export function useOneAtATime<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const mutation = useMutation(options)
  const running = useRef(false)
  const mutate: typeof mutation.mutate = (...args) => {
    if (running.current) return
    running.current = true
    const done = () => {
      running.current = false
    }
    // A failure is told through the mutation's own state and callbacks.
    mutation.mutateAsync(...args).then(done, done)
  }
  return { ...mutation, mutate }
}
