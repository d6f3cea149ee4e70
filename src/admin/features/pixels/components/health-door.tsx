import type { ReactNode } from 'react'
import { cn } from '#admin/lib/cn.ts'
import type { Health } from '../pixel-health.ts'

const FULL = 'M3.5 24V9.5a8.5 8.5 0 0 1 17 0V24z'
const FRAME = 'M4.6 22.9V9.5a7.4 7.4 0 0 1 14.8 0v13.4z'
const SIGN = 'stroke-surface stroke-[2.6] forced-colors:stroke-[Canvas]'

/** Each state has a shape of its own, so that colour is never alone. */
const SHAPES: Record<Health, ReactNode> = {
  working: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="m7.6 13.6 3.1 3.1 5.8-6.4" className={SIGN} />
    </>
  ),
  unconfirmed: (
    <>
      <path d={FRAME} stroke="currentColor" strokeWidth="2.2" />
      <path d="m8 13.8 2.9 2.9 5.2-5.8" stroke="currentColor" strokeWidth="2.4" />
    </>
  ),
  partial: (
    <>
      <path d="M4 13h16v10H4z" fill="currentColor" />
      <path d={FRAME} stroke="currentColor" strokeWidth="2.4" />
    </>
  ),
  broken: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="m8.2 10.2 7.6 7.6m0-7.6-7.6 7.6" className={SIGN} />
    </>
  ),
  waiting: <path d={FRAME} stroke="currentColor" strokeWidth="2.2" strokeDasharray="3.2 2.7" />,
  paused: (
    <>
      <path d={FRAME} stroke="currentColor" strokeWidth="2.2" />
      <path d="M9.5 10.5v7m5-7v7" stroke="currentColor" strokeWidth="2.6" />
    </>
  ),
  tripped: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="M9.5 10.5v7m5-7v7" className={SIGN} />
    </>
  ),
  off: <path d={FRAME} stroke="currentColor" strokeWidth="2" />,
}

const COLOURS: Record<Health, string> = {
  working: 'text-ok',
  unconfirmed: 'text-text-2',
  partial: 'text-[#b25a12]',
  broken: 'text-bad',
  waiting: 'text-text-2',
  paused: 'text-text-2',
  tripped: 'text-bad',
  off: 'text-line-2',
}

export function HealthDoor({ health, className }: { health: Health; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={cn('size-5 flex-none', COLOURS[health], className)}
    >
      {SHAPES[health]}
    </svg>
  )
}
