import { MessageBox } from '#admin/components/message-box.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'

/** These bring code that nobody can read beforehand. */
const RISKY = new Set<Pixel['type']>(['custom', 'google_tag_manager'])

export function SharedOriginNotice({ pixels }: { pixels: readonly Pixel[] }) {
  const { boot } = useServices()
  if (!boot.sharedOrigin || !pixels.some((pixel) => pixel.is_active && RISKY.has(pixel.type))) return null
  return (
    <div className="mt-4">
      <MessageBox look="info">
        O site e este painel usam o mesmo endereço. Com uma tag personalizada ou do Tag Manager ativa, o mais
        seguro é dar ao painel um endereço próprio: peça a quem cuida do servidor para configurar{' '}
        <code>ADMIN_URL</code>.
      </MessageBox>
    </div>
  )
}
