import { Check, Trash2 } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import type { Subscription } from '#contract/newsletter.ts'
import { describeDelivery, STATE_LABELS } from './describe-delivery.ts'

interface SubscriptionItemProps {
  subscription: Subscription
  delivers: boolean
  onRetry: () => void
  onErase: () => void
}

export function SubscriptionItem({ subscription, delivers, onRetry, onErase }: SubscriptionItemProps) {
  const { email, status, created_at } = subscription
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-1.5 border-t border-line py-3 pr-3 pl-4 first:border-t-0 sm:pl-5">
      <div className="min-w-0 flex-[1_1_15rem] wrap-anywhere">
        <p className="leading-snug font-semibold">{email}</p>
        <p className="text-sm text-text-2">
          <time dateTime={created_at}>{formatMinute(created_at)}</time>
        </p>
      </div>
      <div className="min-w-0 flex-[1_1_13rem] wrap-anywhere">
        <p className="flex items-center gap-1.5 text-[0.9375rem]">
          {status === 'delivered' ? (
            <>
              <Check aria-hidden="true" className="size-4 flex-none text-ok" />
              {STATE_LABELS.delivered}
            </>
          ) : (
            <span
              className={`chip rounded-full px-2.5 py-0.5 text-[0.8125rem] font-semibold ${status === 'failed' ? 'bg-bad-bg text-bad' : 'bg-[#e9ebe2]'}`}
            >
              {STATE_LABELS[status]}
            </span>
          )}
        </p>
        <p className="text-sm text-text-2">{describeDelivery(subscription, delivers)}</p>
      </div>
      {/* As wide with one button as with two, so that the columns of all rows stand in line. */}
      <div className="ml-auto flex items-center justify-end gap-1 sm:min-w-48">
        {status !== 'delivered' && delivers ? (
          <Button look="outline" aria-label={`Tentar agora: ${email}`} onClick={onRetry}>
            Tentar agora
          </Button>
        ) : null}
        <IconButton label={`Apagar: ${email}`} danger onClick={onErase}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  )
}
