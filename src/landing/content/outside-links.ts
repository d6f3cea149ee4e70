import type { SiteInfo } from '#contract/site.ts'

export function whatsappUrl(site: SiteInfo): string {
  const message = `Olá! Quero falar com um especialista da ${site.brandName}.`
  return `https://wa.me/${site.whatsappNumber}?text=${encodeURIComponent(message)}`
}

export function phoneUrl(phone: string): string {
  return `tel:${phone.replace(/[^\d+]/g, '')}`
}
