import { CircleAlert, CircleCheck } from 'lucide-react'
import { Toaster as Sonner } from 'sonner'

export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      duration={6000}
      visibleToasts={4}
      containerAriaLabel="Notificações"
      mobileOffset={{ bottom: 'calc(84px + env(safe-area-inset-bottom))' }}
      icons={{
        success: <CircleCheck className="size-5 text-ok-ink" />,
        error: <CircleAlert className="size-5 text-bad-ink" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'on-ink pointer-events-auto font-sans flex w-full min-h-14 flex-wrap items-center gap-x-3 rounded-[14px] py-1.5 pr-2 pl-4 text-[0.9375rem]/[1.35] shadow-high sm:w-[min(400px,100vw-32px)]',
          content: 'flex-[1_1_220px] py-1.5',
          description: 'mt-0.5 text-sm text-on-ink-2',
          actionButton: 'ml-auto min-h-11 rounded-1 px-3 font-semibold text-accent hover:bg-surface/10',
        },
      }}
    />
  )
}
