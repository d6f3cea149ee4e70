export function Skeleton({ className }: { className: string }) {
  return <span className={`block breathing bg-[#e6e8df] ${className}`} />
}
