import { formatDate, formatTimestamp } from '../lib/format-date.ts'

export function TimeStamp({ value, className = '' }: { value: string; className?: string }) {
  return (
    <time dateTime={value} title={formatTimestamp(value)} className={`text-text-2 tabular-nums ${className}`}>
      {formatDate(value)}
    </time>
  )
}
