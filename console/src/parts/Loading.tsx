// Grey lines of the height of what will stand there, so that nothing jumps.
export function Loading({ lines = 6, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, place) => (
        <span key={place} className="bone" />
      ))}
    </div>
  );
}
