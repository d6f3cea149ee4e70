import { Brand } from './brand.tsx'

/** The way back to the page, of documents that have no other: legal texts and errors. */
export function PlainHeader({ brandName, className }: { brandName: string; className: string }) {
  return (
    <header className={className}>
      <div className="wrap">
        <Brand name={brandName} href="/" />
      </div>
    </header>
  )
}
