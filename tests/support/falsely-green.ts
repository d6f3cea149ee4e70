import type { PixelStatus } from '#contract/tag-status.ts'
import type { VendorStandIn } from './vendor-stand-in.ts'
import type { StandIn } from './vendor-stand-ins/stand-in.ts'

/** Vendors shown as working and confirmed although none of their page views arrived. `statuses` are in their order. */
export function falselyGreen(
  { hits }: Pick<VendorStandIn, 'hits'>,
  standIns: readonly StandIn[],
  statuses: readonly PixelStatus[],
): string[] {
  return standIns.flatMap(({ vendor, account, pageView }, index) => {
    const status = statuses[index]
    if (status === undefined) throw new Error(`${vendor} is not in the overview`)
    const isHeard = hits.some(
      ({ heard }) => heard?.vendor === vendor && heard.account === account && heard.event === pageView,
    )
    return status.health === 'working' && status.confirmed && !isHeard ? [vendor] : []
  })
}
