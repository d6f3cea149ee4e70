import { type ComponentType, createElement, lazy } from 'react'
import { ScreenNotLoaded } from './screen-not-loaded.ts'

/** A part of the dashboard whose code comes when it is opened, or before, once there is time. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const make = () =>
    lazy(async () => ({
      default: await load().catch((cause: unknown) => {
        throw new ScreenNotLoaded(cause, () => {
          part = make()
        })
      }),
    })) as unknown as ComponentType<Props>
  let part = make()
  return function LazyPart(props: Props) {
    return createElement(part, props)
  }
}

/** One that does not come now is asked for again when it is opened. */
export function loadWhenIdle(loaders: Record<string, () => Promise<unknown>>): void {
  const load = () => {
    for (const loader of Object.values(loaders)) loader().catch(() => {})
  }
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 5_000 })
  else setTimeout(load, 1000)
}
