import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Toaster as Sonner } from 'sonner'
import { watchUndoKey } from './notify.ts'

const WIDE = matchMedia('(min-width: 53.75rem)')

/**
 * What happened is told where nothing is to be done: over the header of a phone, and in the lower left corner of
 * anything larger, for what a row offers is on its right. A dialog lies over it.
 */
export function Toaster() {
  const wide = useSyncExternalStore(subscribe, () => WIDE.matches)
  useEffect(watchUndoKey, [])
  return (
    <Sonner
      position={wide ? 'bottom-left' : 'top-center'}
      duration={6000}
      visibleToasts={4}
      containerAriaLabel="Notificações"
      // Over the header (10), under any dialog (20).
      style={{ zIndex: 15 }}
      offset={{ bottom: 16, left: 16 }}
      mobileOffset={{ top: 'calc(2px + env(safe-area-inset-top))', left: 8, right: 8 }}
      icons={{
        success: <CircleCheck className="size-5 text-ok-ink" />,
        error: <CircleAlert className="size-5 text-bad-ink" />,
        warning: <TriangleAlert className="size-5 text-accent" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'on-ink pointer-events-auto font-sans flex w-full min-h-14 flex-wrap items-center gap-x-3 rounded-[14px] py-1.5 pr-2 pl-4 text-[0.9375rem]/[1.35] shadow-high ring-1 ring-on-ink/20 md:w-[min(380px,100vw-32px)]',
          content: 'flex-[1_1_8rem] py-1.5',
          description: 'mt-0.5 text-sm text-on-ink-2',
          actionButton: 'ml-auto min-h-11 rounded-1 px-3 font-semibold text-accent hover:bg-surface/10',
        },
      }}
    />
  )
}

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener('change', listener)
  return () => WIDE.removeEventListener('change', listener)
}
