/** What a vendor reads from the address of a page that an advertisement led to. */
const CAMPAIGN = /^(utm_\w+|[a-z]{0,3}clid|msclkid|[gw]braid|li_fat_id|epik|rdt_cid|sccid|tblci|click_id)$/i
const MAX_LENGTH = 1_500

/** Everything else in the address stays out of the rooms. */
export function campaignOfPage(): string {
  const campaign = new URLSearchParams(
    [...new URLSearchParams(location.search)].filter(([name]) => CAMPAIGN.test(name)),
  ).toString()
  return campaign === '' || campaign.length > MAX_LENGTH ? '' : `?${campaign}`
}
