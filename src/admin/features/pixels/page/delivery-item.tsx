import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, Clock, Hourglass } from 'lucide-react'
import { formatMinute } from '#admin/lib/format-date.ts'
import { DELIVERY_STATE_LABELS, type DeliveryState, type PixelDeliveries } from '#contract/conversions.ts'
import { SERVER_EVENT_LABELS } from '#contract/server-event.ts'

/** Only what somebody may have to see to has a colour. */
const LOOKS: Record<DeliveryState, { icon: typeof Clock; className: string }> = {
  accepted: { icon: CircleCheck, className: 'text-ok' },
  unconfirmed: { icon: CircleDashed, className: 'text-text-2' },
  refused: { icon: CircleAlert, className: 'text-bad' },
  waiting: { icon: Clock, className: 'text-text-2' },
  expired: { icon: Hourglass, className: 'text-warn' },
  withheld: { icon: CircleSlash, className: 'text-text-2' },
}

/** One attempt and what was answered; nothing about the visitor. */
export function DeliveryItem({ delivery }: { delivery: PixelDeliveries['deliveries'][number] }) {
  const { at, event, state, attempts, answer, message } = delivery
  const { icon: Icon, className } = LOOKS[state]
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 border-t border-line px-4 py-3 text-[0.9375rem]/snug sm:px-5 @min-[46rem]:grid-cols-[15rem_14rem_minmax(0,1fr)]">
      <div className="min-w-0 wrap-anywhere">
        <p className="font-semibold">{SERVER_EVENT_LABELS[event]}</p>
        <p className="text-sm text-text-2">
          <time dateTime={at}>{formatMinute(at)}</time>
          {attempts > 1 ? ` · tentativa ${attempts}` : null}
        </p>
      </div>
      <p className={`flex min-w-0 items-start gap-2 font-semibold ${className}`}>
        <Icon aria-hidden="true" className="size-5 flex-none" />
        {DELIVERY_STATE_LABELS[state]}
      </p>
      <div className="min-w-0 wrap-anywhere">
        <p>{message}</p>
        <p className="font-mono text-[0.8125rem] text-text-2">{answer}</p>
      </div>
    </li>
  )
}
