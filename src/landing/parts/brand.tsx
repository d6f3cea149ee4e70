import { PortalMark } from '#design/portal-mark.tsx'

export function Brand({ name, href }: { name: string; href: string }) {
  return (
    <a className="brand" href={href}>
      <PortalMark />
      {name}
    </a>
  )
}
