export function Bone({ className }: { className: string }) {
  return <span className={`block breathing rounded-md bg-[#e6e8df] ${className}`} />
}
