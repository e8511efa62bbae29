// A button: with words, or only a drawing and its name.
import { Button as AriaButton, type ButtonProps } from "react-aria-components";
import { Icon, type IconName } from "./Icon";

type Look = "plain" | "main" | "danger" | "quiet";

export function Button({ look = "plain", icon, children, className, ...rest }: Omit<ButtonProps, "children" | "className"> & {
  look?: Look;
  icon?: IconName;
  children: React.ReactNode;
  className?: string;
}) {
  return (
    <AriaButton {...rest} className={`button ${look} ${className ?? ""}`}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

export function IconButton({ name, icon, pressed, onClick, tabIndex, disabled }: {
  name: string;
  icon: IconName;
  pressed?: boolean;
  onClick: () => void;
  tabIndex?: number;
  disabled?: boolean;
}) {
  return (
    <button
      type="button"
      className="button quiet only-icon"
      title={name}
      aria-label={name}
      aria-pressed={pressed}
      tabIndex={tabIndex}
      disabled={disabled}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
