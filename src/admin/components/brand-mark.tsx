import { PortalMark } from '#design/portal-mark.tsx'

/** The product's mark at the width that `className` gives. */
export function BrandMark({ className }: { className: string }) {
  return (
    <span className={`block [&>svg]:h-auto [&>svg]:w-full ${className}`}>
      <PortalMark />
    </span>
  )
}
