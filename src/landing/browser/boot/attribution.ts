const CAMPAIGN = /^(utm_\w+|gclid|fbclid|ttclid|msclkid)$/

/** Hands the campaign of this visit on to the links that leave for the app, so that a registration can be attributed. Nothing is stored. */
export function carryCampaign(): void {
  const campaign = [...new URLSearchParams(location.search)].filter(([name]) => CAMPAIGN.test(name))
  if (campaign.length === 0) return
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-app]')) {
    const url = new URL(link.href)
    for (const [name, value] of campaign) url.searchParams.set(name, value)
    link.href = url.href
  }
}
