import { cn } from '#admin/lib/cn.ts'
import type { PixelType } from '#contract/pixel.ts'

const INITIALS: Record<PixelType, string> = {
  meta: 'M',
  google_analytics: 'GA',
  google_tag_manager: 'GTM',
  custom: '{ }',
}

/** The type's initials in an arch, which is only outlined while the pixel is off. */
export function TypeGlyph({ type, active }: { type: PixelType; active: boolean }) {
  return (
    <span
      aria-hidden="true"
      // A narrow table has a column for the type and no room for this; nor has large text on a phone.
      className={cn(
        'chip grid h-11 w-10 flex-none place-items-center rounded-[20px_20px_6px_6px] pt-1.5 font-mono text-xs font-semibold tracking-tighter not-card:@max-[54rem]:hidden tiny:hidden',
        active ? 'bg-[#e9ebe2]' : 'text-text-2 shadow-[inset_0_0_0_1.5px_var(--line)]',
      )}
    >
      {INITIALS[type]}
    </span>
  )
}
