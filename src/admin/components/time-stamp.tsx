import { cn } from '../lib/cn.ts'
import { formatDate, formatTimestamp } from '../lib/format-date.ts'

export function TimeStamp({ value, className }: { value: string; className?: string }) {
  return (
    <time
      dateTime={value}
      title={`${formatTimestamp(value)}, horário de Brasília`}
      className={cn('time-stamp', className)}
    >
      {formatDate(value)}
    </time>
  )
}
